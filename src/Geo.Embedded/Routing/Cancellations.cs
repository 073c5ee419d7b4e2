using System.Collections.Concurrent;

namespace Geo.Embedded;

/// <summary>
/// Carries cancellation between clusters: a call that can be cancelled has a number, and its origin sends that number when the caller no
/// longer waits. Best effort, as cancellation is: a lost number lets the call run to its end.
/// </summary>
/// <param name="around">Gives chance and threads.</param>
internal sealed class Cancellations(SiloSurroundings around)
{
    /// <summary>The service under which the numbers travel.</summary>
    public const string Service = "geo.embedded.cancel";

    private readonly ConcurrentDictionary<(ClusterId From, ulong Number), CancellationTokenSource> _running = new();
    private long _lastNumber = around.Random.NextInt64();

    /// <summary>How many calls run here that another cluster can cancel.</summary>
    public int Count => _running.Count;

    /// <summary>True when one of them was cancelled and has not ended yet.</summary>
    public bool IsAnyCancelled => _running.Values.Any(s => s.IsCancellationRequested);

    /// <summary>
    /// A number for a call that leaves; 0 for one that cannot be cancelled. No other incarnation of the silo is likely to use it.
    /// </summary>
    public ulong NumberFor(GrainCall call) =>
        call.Method is { TokenIndex: >= 0, IsOneWay: false } && call.Cancellation.CanBeCanceled
            ? (ulong)Interlocked.Increment(ref _lastNumber)
            : 0;

    /// <summary>Tells the cluster that a call was sent to, behind the call, that nobody waits for it any more.</summary>
    public static void Send(IClusterMessenger messenger, ClusterId to, PartitionKey senderKey, ulong number)
    {
        var writer = new PayloadWriter();
        writer.WriteUnsigned(number);
        messenger.TrySend(to, Service, writer.Written, new MessageOptions(PartitionKey: senderKey));
    }

    /// <summary>
    /// Makes the token of a call that arrived. Its source has no timer and no handle and is left to the garbage collector, because the
    /// grain may hold the token for longer than the call lasts.
    /// </summary>
    public CancellationToken Begin(ClusterId from, ulong number, CancellationToken stopping)
    {
        if (number == 0)
        {
            return stopping;
        }

        var source = new CancellationTokenSource();
        _running[(from, number)] = source;
        return source.Token;
    }

    /// <summary>A call that arrived is over.</summary>
    public void End(ClusterId from, ulong number)
    {
        if (number != 0)
        {
            _running.TryRemove((from, number), out _);
        }
    }

    /// <summary>Takes the number of a call that nobody waits for any more.</summary>
    public async ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        var number = new PayloadReader(message.Payload.Span).ReadUnsigned();
        if (_running.TryGetValue((message.From, number), out var source))
        {
            await around.CancelAsync(source).ConfigureAwait(around.KeepsContext);
        }

        return default;
    }
}
