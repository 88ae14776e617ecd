"""What can be decided at a crash: restarts, and policies that choose one."""
