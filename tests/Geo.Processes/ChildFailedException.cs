namespace Geo.Processes;

/// <summary>
/// A child process could not start, or ended although nobody asked it to; the message is the one line that the user sees.
/// </summary>
public sealed class ChildFailedException(string message) : Exception(message);
