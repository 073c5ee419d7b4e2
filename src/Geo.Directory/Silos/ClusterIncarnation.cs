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
    private readonly ILogger _logger;
    private readonly IDisposable _registration;
    private long _value;

    public ClusterIncarnation(
        IConditionalStore rows, ISiloMembership membership, ISiblings siblings, ILeaseGuard guard, TimeSpan timeout, ILogger logger)
    {
        (_rows, _membership, _siblings, _guard, _timeout, _logger) = (rows, membership, siblings, guard, timeout, logger);
        _registration = siblings.Handle(Service, AnswerAsync);
    }

    /// <summary>The incarnation that this silo belongs to; 0 before <see cref="JoinAsync"/> has ended.</summary>
    public long Value => Volatile.Read(ref _value);

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

            var written = await _rows.WriteAsync(Key, Write(present + 1), read.ETag, cancellationToken);
            if (written.Outcome == StoreWriteOutcome.Applied)
            {
                Volatile.Write(ref _value, present + 1);
                _logger.IncarnationBegun(_membership.Local, present + 1);
                return;
            }

            // After an unknown outcome, too: what it may have begun is nobody's, and the next one is begun.
            reason = written.Reason ?? "other silos of the cluster start at the same time";
        }

        throw new GeoUnavailableException($"The silo cannot start: the row of the cluster's incarnation could not be settled ({reason}). Try again.");
    }

    public void Dispose() => _registration.Dispose();

    private async Task<bool> IsLivedInAsync(long incarnation, CancellationToken cancellationToken)
    {
        if (incarnation == 0)
        {
            // None has begun. A sibling that says 0 is in none yet, as this silo is.
            return false;
        }

        var answers = await Task.WhenAll(_membership.Members.Callable
            .Where(node => node != _membership.Local)
            .Select(async node => await _siblings.AskAsync(node, Service, default, _timeout, cancellationToken)));
        return answers.Any(answer => answer.Outcome == ReplyOutcome.Replied && Read(answer.Payload.Span) == incarnation);
    }

    private ValueTask<ReadOnlyMemory<byte>> AnswerAsync(ReadOnlyMemory<byte> question, CancellationToken cancellationToken) =>
        new(Write(_guard.MayServe ? Value : 0));

    private static long Read(ReadOnlySpan<byte> bytes) => new PayloadReader(bytes).ReadSigned();

    private static byte[] Write(long incarnation)
    {
        var writer = new PayloadWriter();
        writer.WriteSigned(incarnation);
        return writer.ToArray();
    }
}
