using System.Collections.Concurrent;

namespace Geo.Embedded;

/// <summary>A pool of writers, so that a call allocates none. What has grown large is not kept.</summary>
internal static class PayloadWriters
{
    private const int MaxKept = 256;
    private const int MaxKeptBytes = 64 * 1024;

    private static readonly ConcurrentQueue<PayloadWriter> Shared = new();

    [ThreadStatic]
    private static PayloadWriter? _ofThread;

    /// <summary>Takes an empty writer.</summary>
    public static PayloadWriter Rent()
    {
        if (_ofThread is { } own)
        {
            _ofThread = null;
            return own;
        }

        return Shared.TryDequeue(out var writer) ? writer : new PayloadWriter();
    }

    /// <summary>Gives a writer back; what it wrote must not be used any more.</summary>
    public static void Return(PayloadWriter writer)
    {
        if (writer.Written.Length > MaxKeptBytes)
        {
            return;
        }

        writer.Reset();
        if (_ofThread is null)
        {
            _ofThread = writer;
        }
        else if (Shared.Count < MaxKept)
        {
            Shared.Enqueue(writer);
        }
    }
}
