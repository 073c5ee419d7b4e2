namespace Geo.Messaging;

/// <summary>
/// The keys of messages that have none: each has one of its own, so that they spread over lanes and none waits for another.
/// </summary>
internal static class KeylessMessages
{
    // No hash of a name or a number is likely to begin so.
    private const ulong Mark = 0x6b65796c65737321;

    // By thread: a number that all of them share would cost more than the rest of a small message.
    [ThreadStatic]
    private static ulong _last;

    public static PartitionKey NextKey() => new(Mark + ((ulong)Environment.CurrentManagedThreadId << 32), ++_last);
}
