-- A regular expression of a number below a thousand in small letters: `twenty-five`, `two hundred and fifty`.
create macro faith.words_pattern() as
    '\b(?:(?:one|two|three|four|five|six|seven|eight|nine)[\s-]hundred[\s-](?:and[\s-])?)?'
    || '(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)'
    || '(?:-(?:one|two|three|four|five|six|seven|eight|nine)\b)?'
    || '|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen'
    || '|one|two|three|four|five|six|seven|eight|nine|zero|nil)\b'
