using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>Gives rows up whose instances have ended by themselves, or never began.</summary>
/// <param name="table">The rows.</param>
/// <param name="instances">The instances.</param>
/// <param name="whileNoneIsAcquired">
/// Does something while no acquisition of a grain runs or begins; false where one does, and nothing was done.
/// </param>
/// <param name="tellOthers">Tells that a grain was released.</param>
/// <param name="logger">The log.</param>
internal sealed class Releases(
    DirectoryTable table, ILocalInstances instances, Func<GrainKey, Action, bool> whileNoneIsAcquired, Action<GrainKey> tellOthers,
    ILogger logger)
{
    // How often a row may change under a release before it is left to be found later.
    private const int MaxConflicts = 16;

    /// <summary>Gives a tenancy of this silo up under which no instance runs.</summary>
    public async ValueTask<TenancyUse> UsesAsync(GrainKey key, long tenancy, CancellationToken cancellationToken)
    {
        if (instances.Has(key))
        {
            return TenancyUse.Used;
        }

        // In this order: there is an instance before it acquires its grain. One that acquires it from here on writes the row anew, which
        // the delete does not survive; one that has done so before is found by the second look.
        HeldRow? held = null;
        if (!whileNoneIsAcquired(key, () => held = table.LetGo(key, tenancy)))
        {
            return TenancyUse.Undecided;
        }

        if (!instances.Has(key))
        {
            await ReleaseAsync(key, instances.Node, tenancy, cancellationToken, held?.ETag);
            return TenancyUse.Unused;
        }

        if (held is not null)
        {
            table.Retain(key, held);
        }

        return TenancyUse.Used;
    }

    /// <summary>Removes the row of a tenancy, whatever state it is in by now; any other tenancy is somebody else's.</summary>
    public async ValueTask ReleaseAsync(
        GrainKey key, string node, long tenancy, CancellationToken cancellationToken, ETag? seen = null)
    {
        var rowKey = DirectoryRows.KeyOf(key);

        if (table.Held(key) is { } other && other.Epoch == tenancy && other.Placement.Node != node)
        {
            return;
        }

        // What this silo has last seen of the row is mostly still so: one write.
        var etag = table.LetGo(key, tenancy)?.ETag ?? seen;
        RowRead? known = etag is null ? null : new(new Row(new GsiEntry { State = GsiState.Owned, Node = node, Epoch = tenancy }, etag));
        for (var conflicts = 0; conflicts < MaxConflicts; conflicts++, known = null)
        {
            var read = known ?? await table.Rows.ReadAsync(rowKey, cancellationToken);
            if (read.Unknown is not null)
            {
                logger.RowUnsettled(key, "released", read.Unknown);
                return;
            }

            var entry = read.Row.Entry;
            if (!(entry.MayRunHere || entry.IsYielding) || entry.Node != node
                || (entry.Epoch != tenancy && !SwitchedOff.Is(ProtocolRule.TenancyIsCompared)))
            {
                return;
            }

            var next = entry.IsYielding ? GsiRules.Yielded(entry) : GsiEntry.Invalid;
            var written = await table.Rows.ReplaceAsync(rowKey, read.Row, next, cancellationToken);
            switch (written.Outcome)
            {
                case RowWriteOutcome.Applied:
                    table.Doubtful.Remove(key);
                    if (entry.IsYielding)
                    {
                        table.Moves.NoteGaveWay(key, entry);
                        table.Remember(key, next);
                    }
                    else
                    {
                        table.Moves.Note(key, MoveKind.Released, table.Moves.Here(node), default, "Its instance has ended.");
                        tellOthers(key);
                    }

                    return;
                case RowWriteOutcome.Unknown:
                    logger.RowUnsettled(key, "released", written.Reason);
                    return;
                default:
                    break;
            }
        }

        logger.RowUnsettled(key, "released", "it keeps changing");
    }
}
