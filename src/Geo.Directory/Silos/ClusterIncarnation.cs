using System.Collections.Frozen;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Counts the lives of a cluster: the first silo that starts while no other one lives begins the next. What an earlier life owned is not
/// taken over: while nobody of the cluster lived, others could not hear whose a grain was, and may have made instances since.
/// </summary>
/// <remarks>
/// To begin a new life although an old silo lives and does not answer is safe, and costs rounds that were not needed. Such a silo is told
/// as soon as it is heard again, by whoever has begun the life or taken it up, and takes it up, whatever it holds: what it owns stays its
/// own, under the life in which it was written, and is void only when the silo is dead; what it writes from then on its siblings can take
/// over.
/// </remarks>
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
    private (string Node, long Life)[] _heard = [];
    private long _begun;
    private long _value;

    public ClusterIncarnation(
        IConditionalStore rows, ISiloMembership membership, ISiblings siblings, ILeaseGuard guard, TimeSpan timeout, TimeProvider time,
        ILogger logger)
    {
        (_rows, _membership, _siblings, _guard, _timeout, _time, _logger) = (rows, membership, siblings, guard, timeout, time, logger);
        _registration = siblings.Handle(Service, AnswerAsync);
    }

    /// <summary>The incarnation that this silo belongs to; 0 before <see cref="JoinAsync"/> has ended.</summary>
    public long Value => Volatile.Read(ref _value);

    /// <summary>
    /// True of a silo that passes for living and has not answered this one since it began to start: of a cluster that was killed and
    /// returns, one whose death has not been noticed yet. What it had is nobody's to point at.
    /// </summary>
    public bool IsUnheard(string node) => _unheard.Contains(node);

    /// <summary>
    /// Asks those that have not answered, and tells those that are of an earlier life, or were of none yet and may have joined one, until
    /// all are of this one or are noticed to be dead. After <see cref="JoinAsync"/>.
    /// </summary>
    public async Task HearAsync(CancellationToken cancellationToken)
    {
        try
        {
            for (var left = Left(); left.Count > 0; left = Left())
            {
                await Task.Delay(_timeout, _time, cancellationToken);
                await TryAskAsync(_membership.Members.Callable.Where(left.Contains), cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The silo stops.
        }

        HashSet<string> Left() => [.. _unheard, .. _heard.Where(sibling => sibling.Life != Value).Select(sibling => sibling.Node)];
    }

    /// <summary>Joins the incarnation of a sibling that lives in the present one, or begins the next. Only with the lease.</summary>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    /// <exception cref="GeoSerializationException">The row is damaged.</exception>
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

            var present = read.Outcome == StoreReadOutcome.Found ? ReadRow(read.Value.Span) : 0;
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

        throw new GeoUnavailableException(
            $"The silo cannot start: the row of the cluster's incarnation could not be settled ({reason}). Try again.");
    }

    public void Dispose() => _registration.Dispose();

    private async Task<bool> IsLivedInAsync(long incarnation, CancellationToken cancellationToken)
    {
        var answers = await AskAsync(_membership.Siblings, cancellationToken);

        // None has begun before the first. A sibling that says 0 is in none yet, as this silo is.
        return incarnation != 0 && answers.Contains(incarnation);
    }

    private async Task TryAskAsync(IEnumerable<string> nodes, CancellationToken cancellationToken)
    {
        try
        {
            await AskAsync(nodes, cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // A sibling of another build, perhaps: it is unheard, and asked again.
            _logger.LoopFailed("question to siblings that were not heard", e);
        }
    }

    /// <summary>
    /// In which life silos are, which are told in which this one is. Those that do not answer are unheard from then on.
    /// </summary>
    /// <returns>The lives in which silos with a lease are.</returns>
    private async Task<long[]> AskAsync(IEnumerable<string> nodes, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> own = Value == 0 ? default : Write(Value);
        var answers = await Task.WhenAll(nodes.Select(async node =>
            (Node: node, Answer: await _siblings.AskAsync(node, Service, own, _timeout, cancellationToken))));
        var silent = answers.Where(a => a.Answer.Outcome != ReplyOutcome.Replied).Select(a => a.Node).ToHashSet(StringComparer.Ordinal);
        var lives = answers.Where(a => a.Answer.Outcome == ReplyOutcome.Replied)
            .Select(a => (a.Node, Life: Read(a.Answer.Payload.Span))).ToArray();

        // Who has answered this silo's start once is alive, and may miss a later question.
        var before = _heard.Where(sibling => Value != 0 && silent.Contains(sibling.Node));
        _heard = [.. lives.Select(sibling => (sibling.Node, Math.Abs(sibling.Life))), .. before];
        _unheard = silent.Except(_heard.Select(sibling => sibling.Node)).ToFrozenSet(StringComparer.Ordinal);
        foreach (var (_, life) in _heard)
        {
            TakeUp(life);
        }

        return [.. lives.Select(sibling => sibling.Life)];
    }

    /// <summary>
    /// The life that this silo is in; below 0 without the lease, for then it does not count as living in it; 0 when in none. Who starts as
    /// well hears of the one that this silo is about to begin: it is not sure yet, and nobody who is in a life may take it up.
    /// </summary>
    private async ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ReadOnlyMemory<byte> question, CancellationToken cancellationToken)
    {
        var told = question.IsEmpty ? 0 : Read(question.Span);
        TakeUp(told);
        if (!_guard.MayServe && Value != 0)
        {
            // It may have stood still, and be about to renew its lease. The other half of who asks is for the way.
            await _guard.MayServeSoonAsync().AsTask().EndsWithinAsync(_timeout / 2, _time, cancellationToken);
        }

        return Write(!_guard.MayServe ? -Value : Value == 0 && told == 0 ? Volatile.Read(ref _begun) : Value);
    }

    /// <summary>
    /// A later life has begun, and all siblings are told: perhaps not all hear who has begun it. A silo that is in none yet finds out by
    /// itself which one it joins.
    /// </summary>
    private void TakeUp(long told)
    {
        for (var present = Value; present != 0 && told > present; present = Value)
        {
            if (Interlocked.CompareExchange(ref _value, told, present) == present)
            {
                _logger.IncarnationTakenUp(_membership.Local, present, told);
                foreach (var node in _membership.Siblings)
                {
                    _siblings.Tell(node, Service, Write(told));
                }
            }
        }
    }

    private static long ReadRow(ReadOnlySpan<byte> row)
    {
        try
        {
            return Read(row) is > 0 and < long.MaxValue and var present
                ? present
                : throw new GeoSerializationException("it names no incarnation");
        }
        catch (GeoSerializationException e)
        {
            throw new GeoSerializationException(
                $"The silo cannot start: the row '{Key}' in the row store of its cluster is damaged ({e.Message}). Stop all silos of the "
                + "cluster and restore the row; or remove it and, with it, all rows under "
                + $"'{GlobalDirectory.RowPrefix}' and '{DoubtfulIndex.Prefix}', for in which life they were written is not known any more.",
                e);
        }
    }

    private static long Read(ReadOnlySpan<byte> bytes) => new PayloadReader(bytes).ReadSigned();

    private static byte[] Write(long incarnation)
    {
        var writer = new PayloadWriter();
        writer.WriteSigned(incarnation);
        return writer.ToArray();
    }
}
