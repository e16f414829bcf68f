// Packed data: base64 of gzipped JSON in script elements of a data type.

/** Unpack one block. The page opens a question's block on demand. */
async function openBlock(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent), (char) => char.charCodeAt(0));
  const opened = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(opened).json();
}
