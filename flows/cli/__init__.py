"""The command line `tenkbench`; `app` lists its commands."""
