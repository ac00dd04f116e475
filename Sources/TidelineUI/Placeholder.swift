// Filled by the change that follows.
