namespace Geo.Tool.Connecting;

/// <summary>What the tool cannot do, in one sentence for people.</summary>
internal sealed class ToolException(string message, Exception? cause = null) : Exception(message, cause);
