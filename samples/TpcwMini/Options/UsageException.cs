namespace TpcwMini.Options;

/// <summary>The run cannot be done as asked; the message is the one line that the user sees.</summary>
internal sealed class UsageException(string message) : Exception(message);
