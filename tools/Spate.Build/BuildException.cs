namespace Spate.Build;

/// <summary>A step of the build cannot be done; the message is one line that says why, and what to do.</summary>
internal sealed class BuildException(string message) : Exception(message);
