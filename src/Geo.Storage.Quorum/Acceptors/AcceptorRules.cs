namespace Geo.Storage.Quorum;

/// <summary>
/// What an acceptor answers, by its row of the key and its floor: rules R2 to R4 and R12 of the design of regions. Each step is one
/// conditional write on the row as it was read (R1), so that any number of silos may act for one acceptor.
/// </summary>
internal static class AcceptorRules
{
    /// <summary>Decides one step.</summary>
    /// <param name="row">The row as it was read; null where there is none.</param>
    /// <param name="meta">
    /// What has the floor, read <b>after</b> the row: what collected keys were promised at most; null where it was not read.
    /// </param>
    /// <param name="request">The request.</param>
    public static AcceptorStep Decide(AcceptorRow? row, AcceptorMeta? meta, QuorumRequest request) => request switch
    {
        ReadRequest => new(Tell(row, meta?.Floor)),
        PrepareRequest prepare => Prepare(row, meta, prepare),
        AcceptRequest accept => Accept(row, meta?.Floor, accept),
        ForgetRequest forget => Forget(row, meta?.Floor, forget),
        _ => throw new ArgumentOutOfRangeException(nameof(request)),
    };

    /// <summary>
    /// True where the floor counts (R2): nothing was accepted, perhaps because it was collected; or it is asked for. The store may have
    /// been emptied, too, or a later list taken over, which what stands beside the floor tells (R5, R16).
    /// </summary>
    public static bool NeedsFloor(AcceptorRow? row, QuorumRequest request) =>
        row is null || row.Accepted.IsNone || request is ForgetRequest or PrepareRequest { WantsFloor: true };

    private static ToldReply Tell(AcceptorRow? row, Ballot? floor) =>
        new(Promise(row, floor), row?.Accepted ?? Ballot.None, row?.Value);

    private static Ballot Promise(AcceptorRow? row, Ballot? floor) =>
        row is { Accepted.IsNone: false } || SwitchedOff.Is(ProtocolRule.FloorBinds)
            ? row?.Promised ?? Ballot.None
            : Ballot.Max(row?.Promised ?? Ballot.None, floor ?? Ballot.None);

    private static AcceptorStep Prepare(AcceptorRow? row, AcceptorMeta? meta, PrepareRequest prepare)
    {
        var promised = Promise(row, meta?.Floor);
        var told = new PromisedReply(row?.Accepted ?? Ballot.None, row?.Value, meta?.Forgotten);
        if (prepare.Ballot == promised && row?.Promised == promised)
        {
            return new(told);
        }

        return prepare.Ballot > promised
            ? new(told, (row ?? AcceptorRow.Empty) with { Promised = prepare.Ballot })
            : new(new RefusedReply(promised));
    }

    private static AcceptorStep Accept(AcceptorRow? row, Ballot? floor, AcceptRequest accept)
    {
        if (row is not null && row.Accepted == accept.Ballot)
        {
            return new(new AcceptedReply(row.Promised));
        }

        var promised = Promise(row, floor);
        if (accept.Ballot < promised && !SwitchedOff.Is(ProtocolRule.PromiseBinds))
        {
            return new(new RefusedReply(promised));
        }

        if (row is null && !SwitchedOff.Is(ProtocolRule.FirstRowIsEmpty))
        {
            return new(null, AcceptorRow.Empty);
        }

        var next = accept.Next.IsNone ? accept.Ballot : accept.Next;
        return new(new AcceptedReply(next), new AcceptorRow(next, accept.Ballot, accept.Value));
    }

    private static AcceptorStep Forget(AcceptorRow? row, Ballot? floor, ForgetRequest forget) =>
        row is null ? new(new DoneReply())
        : row is { Value: null or { IsLive: false } } && row.Accepted == forget.Accepted && row.Promised <= floor.GetValueOrDefault()
            ? new(new DoneReply(), Deletes: true)
        : new(new RefusedReply(row.Promised));
}
