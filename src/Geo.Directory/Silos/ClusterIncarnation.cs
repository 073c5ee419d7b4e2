using System.Collections.Frozen;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Counts the lives of a cluster: the first silo that starts while no other one lives begins the next. What an earlier life owned is not
/// taken over: while nobody of the cluster lived, others could not hear whose a grain was, and may have made instances since.
/// </summary>
/// <remarks>To begin a new life although an old silo lives and does not answer is safe, and costs rounds that were not needed.</remarks>
internal sealed class ClusterIncarnation : IDisposable
{
    /// <summary>The service by which silos ask each other in which life of the cluster they are.</summary>
    public const string Service = "geo.incarnation";

    /// <summary>The row of the present incarnation.</summary>
    public const string Key = "cluster-incarnation";

    // How often others may begin one at the same time.
    private const int MaxConflicts = 16;

    private readonly IConditionalStore _rows;
    private readonly ISiloMembership _membership;
    private readonly ISiblings _siblings;
    private readonly ILeaseGuard _guard;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly IDisposable _registration;
    private volatile FrozenSet<string> _unheard = [];
    private long _begun;
    private long _value;

    public ClusterIncarnation(
        IConditionalStore rows, ISiloMembership membership, ISiblings siblings, ILeaseGuard guard, TimeSpan timeout, TimeProvider time, ILogger logger)
    {
        (_rows, _membership, _siblings, _guard, _timeout, _time, _logger) = (rows, membership, siblings, guard, timeout, time, logger);
        _registration = siblings.Handle(Service, AnswerAsync);
    }

    /// <summary>The incarnation that this silo belongs to; 0 before <see cref="JoinAsync"/> has ended.</summary>
    public long Value => Volatile.Read(ref _value);

    /// <summary>
    /// True of a silo that passes for living and has not answered this one since it began to start: of a cluster that was killed and returns, one
    /// whose death has not been noticed yet. What it had is nobody's to point at.
    /// </summary>
    public bool IsUnheard(string node) => _unheard.Contains(node);

    /// <summary>Asks those that have not answered until they do or are noticed to be dead. After <see cref="JoinAsync"/>.</summary>
    public async Task HearAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (_unheard.Count > 0)
            {
                await Task.Delay(_timeout, _time, cancellationToken);
                await AskAsync(_membership.Members.Callable.Where(_unheard.Contains), cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The silo stops.
        }
    }

    /// <summary>Joins the incarnation of a sibling that lives in the present one, or begins the next. Only with the lease.</summary>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    public async Task JoinAsync(CancellationToken cancellationToken)
    {
        string? reason = null;
        for (var conflicts = 0; conflicts < MaxConflicts; conflicts++)
        {
            var read = await _rows.ReadAsync(Key, cancellationToken);
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                reason = read.Reason;
                break;
            }

            var present = read.Outcome == StoreReadOutcome.Found ? Read(read.Value.Span) : 0;
            if (await IsLivedInAsync(present, cancellationToken))
            {
                Volatile.Write(ref _value, present);
                return;
            }

            // Said to siblings that find it before this silo knows that it has begun: they would begin one of their own.
            Volatile.Write(ref _begun, present + 1);
            var written = await _rows.WriteAsync(Key, Write(present + 1), read.ETag, cancellationToken);
            if (written.Outcome == StoreWriteOutcome.Applied)
            {
                Volatile.Write(ref _value, present + 1);
                _logger.IncarnationBegun(_membership.Local, present + 1);
                return;
            }

            Volatile.Write(ref _begun, 0);

            // After an unknown outcome, too: what it may have begun is nobody's, and the next one is begun.
            reason = written.Reason ?? "other silos of the cluster start at the same time";
        }

        throw new GeoUnavailableException($"The silo cannot start: the row of the cluster's incarnation could not be settled ({reason}). Try again.");
    }

    public void Dispose() => _registration.Dispose();

    private async Task<bool> IsLivedInAsync(long incarnation, CancellationToken cancellationToken)
    {
        var answers = await AskAsync(_membership.Siblings, cancellationToken);

        // None has begun before the first. A sibling that says 0 is in none yet, as this silo is.
        return incarnation != 0 && answers.Contains(incarnation);
    }

    /// <summary>In which life silos are. Those that do not answer are unheard from then on.</summary>
    private async Task<long[]> AskAsync(IEnumerable<string> nodes, CancellationToken cancellationToken)
    {
        var answers = await Task.WhenAll(nodes.Select(async node =>
            (Node: node, Answer: await _siblings.AskAsync(node, Service, default, _timeout, cancellationToken))));
        _unheard = answers.Where(a => a.Answer.Outcome != ReplyOutcome.Replied).Select(a => a.Node).ToFrozenSet(StringComparer.Ordinal);
        return [.. answers.Where(a => a.Answer.Outcome == ReplyOutcome.Replied).Select(a => Read(a.Answer.Payload.Span))];
    }

    private ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ReadOnlyMemory<byte> question, CancellationToken cancellationToken) =>
        new(Write(!_guard.MayServe ? 0 : Value != 0 ? Value : Volatile.Read(ref _begun)));

    private static long Read(ReadOnlySpan<byte> bytes) => new PayloadReader(bytes).ReadSigned();

    private static byte[] Write(long incarnation)
    {
        var writer = new PayloadWriter();
        writer.WriteSigned(incarnation);
        return writer.ToArray();
    }
}
