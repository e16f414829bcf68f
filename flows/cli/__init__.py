"""The command line, `tenkbench`: `app` has the commands, the other modules what one or a few of them do."""
