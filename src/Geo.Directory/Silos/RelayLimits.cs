namespace Geo.Directory;

/// <summary>How much a silo sends for its siblings at a time.</summary>
/// <param name="Messages">How many messages that wait for their replies.</param>
/// <param name="Bytes">The most bytes that these have together.</param>
internal sealed record RelayLimits(int Messages = RelayLimits.DefaultMessages, long Bytes = RelayLimits.DefaultBytes)
{
    public const int DefaultMessages = 1_000;
    public const long DefaultBytes = 64 * 1024 * 1024;

    public override string ToString() =>
        $"{Messages} messages (option MaxRelayedMessages) of {Bytes} bytes together (option MaxRelayedBytes)";
}
