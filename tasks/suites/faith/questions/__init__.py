"""Questions of FAITH: figures of Item 7 that are hidden, each with a proof or a panel's votes."""
