namespace Geo.Consistency.Lattices;

/// <summary>A session over a silo's replicas: the parts of its level, each where reads and updates need it.</summary>
/// <param name="replicas">The replicas.</param>
/// <param name="level">The level.</param>
/// <param name="token">What it goes on with.</param>
/// <param name="wait">How long it waits for what it has seen elsewhere; null for not at all.</param>
internal sealed class LatticeSession(LatticeReplicas replicas, ConsistencyLevel level, SessionToken token, TimeSpan? wait) : ILatticeSession
{
    private readonly SessionPast? _past =
        level.Domain() == LatticeDomain.Ordered ? new(level.Parts(), token.Lattices ?? LatticeMarks.None) : null;

    private readonly LatticeTransaction? _transaction = (level.Parts() & LevelParts.OneStamp) != 0 ? new(level.Parts()) : null;
    private bool _isBegun;

    // A new session has seen nothing that could be missing here.
    private bool _hasReadsHere = token.Lattices is null;
    private bool _hasUpdatesHere = token.Lattices is null;

    public ConsistencyLevel Level => level;

    public SessionToken Token =>
        _past is null || replicas[LatticeDomain.Ordered] is not { } exchange ? token : token.With(exchange.Marks(_past));

    public ValueTask<TResult> ReadAsync<TLattice, TResult>(
        GrainKey grain, Func<TLattice, TResult> read, CancellationToken cancellationToken)
        where TLattice : ILattice<TLattice>
    {
        ArgumentNullException.ThrowIfNull(read);
        var exchange = replicas.For(grain, level);
        return _past is null || _hasReadsHere
            ? new(read(State<TLattice>(exchange, grain)))
            : WaitAsync(
                exchange,
                _past.ForReads,
                () =>
                {
                    _hasReadsHere = true;
                    return read(State<TLattice>(exchange, grain));
                },
                cancellationToken);
    }

    public async ValueTask UpdateAsync<TLattice>(
        GrainKey grain, Func<TLattice, LatticeOrigin, TLattice> change, CancellationToken cancellationToken)
        where TLattice : ILattice<TLattice>
    {
        ArgumentNullException.ThrowIfNull(change);
        var exchange = replicas.For(grain, level);
        if (_past is not null && !_hasUpdatesHere)
        {
            _hasUpdatesHere = await WaitAsync(exchange, _past.ForUpdates, () => true, cancellationToken);
        }

        // Outside of a transaction it is one by itself.
        if (_isBegun && _transaction is not null)
        {
            _transaction.Update(exchange, grain, change);
        }
        else
        {
            exchange.Update(grain, change, _past);
        }
    }

    public void Begin()
    {
        if (_isBegun)
        {
            throw new InvalidOperationException("A transaction of this session is under way; commit or abort it first.");
        }

        _isBegun = true;
        _transaction?.Begin();
    }

    public void Commit()
    {
        CheckIsBegun();
        if (replicas[LatticeDomain.Free] is { } exchange)
        {
            _transaction?.Commit(exchange);
        }

        Abort();
    }

    public void Abort()
    {
        CheckIsBegun();
        _isBegun = false;
        _transaction?.Begin();
    }

    private TLattice State<TLattice>(LatticeExchange exchange, GrainKey grain)
        where TLattice : ILattice<TLattice> =>
        _isBegun && _transaction is { } transaction ? transaction.Read<TLattice>(exchange, grain) : exchange.Read<TLattice>(grain, _past);

    private async ValueTask<TResult> WaitAsync<TResult>(
        LatticeExchange exchange, VectorClock wanted, Func<TResult> then, CancellationToken cancellationToken)
    {
        if (token.Lattices is { } marks && !exchange.TrySee(marks.Clock))
        {
            throw new GeoUnavailableException(
                "The session has seen a clock that is further ahead than MaxClockAhead allows. Nothing was done; set the clocks right.");
        }

        using var limit = new CancellationTokenSource(wait ?? TimeSpan.Zero, exchange.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            await exchange.AppliedAsync(wanted, token.Lattices?.IsWhole ?? true, either.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new GeoUnavailableException(
                $"What the session has read or written elsewhere did not come here within {wait?.TotalSeconds ?? 0} s. Nothing was done; "
                + "try again, or where the session was before. What a crash has taken comes nowhere: begin a new session then.");
        }

        return then();
    }

    private void CheckIsBegun()
    {
        if (!_isBegun)
        {
            throw new InvalidOperationException("No transaction of this session is under way; begin one first.");
        }
    }
}
