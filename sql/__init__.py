"""SQL relations as package data: a folder is a schema, a file a relation."""
