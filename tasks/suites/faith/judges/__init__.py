"""Judges of FAITH: rules that compare a restored figure with the hidden one."""
