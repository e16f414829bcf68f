"""Engines: calls in, one response each out, in any order. One file each."""
