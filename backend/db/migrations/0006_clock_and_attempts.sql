-- Calls that a process with a wrong clock completed. Their events couldn't be written because of the negative duration.
update call set duration_seconds = 0 where duration_seconds < 0;
