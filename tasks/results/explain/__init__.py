"""From a number to its answers, and to the filing behind them; `disagreements` are cases that models part on."""
