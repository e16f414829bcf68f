"""Questions: hidden figures of Item 7, with proofs or a panel's votes."""
