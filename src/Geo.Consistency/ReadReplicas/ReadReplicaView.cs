namespace Geo.Consistency;

/// <summary>
/// The view of a read replica: the copy that its feed has, and nothing else. What asks for more goes to the grain's instance.
/// </summary>
/// <param name="key">The grain.</param>
/// <param name="feed">Has the copy.</param>
/// <param name="serializer">Reads its state.</param>
/// <param name="cluster">The replica's cluster.</param>
/// <param name="time">Both clocks.</param>
/// <param name="asksForMore">
/// The present call asks for what no copy has. It is told besides the exception, which the grain's method may catch.
/// </param>
internal sealed class ReadReplicaView<TState, TUpdate>(
    GrainKey key, ReadFeed feed, IGeoSerializer serializer, ClusterId cluster, TimeProvider time, Action asksForMore)
    : IVersionedView<TState, TUpdate>
{
    private ReadCopy? _shown;
    private TState _state = default!;
    private ulong _hash;

    public long Version => Copy.Version;

    public TState Confirmed => StateOf(Copy);

    public TState Tentative => throw Miss("the tentative state");

    public IReadOnlyList<TUpdate> Unconfirmed => [];

    public ViewIssue? Issue => null;

    private ReadCopy Copy => feed.Copy ?? throw Miss("a version");

    private ulong GrainHash => _hash != 0 ? _hash : _hash = SessionMark.HashOf(key);

    public void Start() => feed.Start();

    public void Enqueue(TUpdate update) => throw MayNotRaise();

    public void Enqueue(IReadOnlyList<TUpdate> updates) => throw MayNotRaise();

    public Task<bool> TryEnqueueAsync(IReadOnlyList<TUpdate> updates, CancellationToken cancellationToken = default) => throw MayNotRaise();

    public Task ConfirmAsync(CancellationToken cancellationToken = default) => throw Miss("what is confirmed now");

    public Task RefreshAsync(CancellationToken cancellationToken = default) => throw Miss("the latest version");

    public Task<Versioned<T>> ReadAsync<T>(Func<TState, T> select, ViewRead read, CancellationToken cancellationToken = default)
    {
        var (copy, session) = (Copy, read.Session ?? SessionToken.None);
        var age = TwoClocks.Of(time).Since(copy.AsOf);
        if (read.Level != ReadLevel.Confirmed || age > read.MaxAge)
        {
            throw Miss("what the read asks for");
        }

        if (!session.IsNone)
        {
            SessionMark[] marks = [.. session.Of(GrainHash)];
            if (!marks.All(copy.Contains) || (marks.Length == 0 && session.IsIncomplete))
            {
                throw Miss("what the session has seen and written");
            }
        }

        return Task.FromResult(new Versioned<T>(
            select(StateOf(copy)), copy.Version, age, cluster,
            copy.Version == 0 ? session : session.Replace(GrainHash, copy.Mark(GrainHash))));
    }

    public Task<UpdateOutcome> UpdateAsync(TUpdate update, ViewUpdate how, CancellationToken cancellationToken = default) =>
        throw MayNotRaise();

    public IAsyncEnumerable<Versioned<T>> VersionsAsync<T>(Func<TState, T> select, CancellationToken cancellationToken = default) =>
        throw Miss("versions that are yet to come");

    public ValueTask DisposeAsync()
    {
        feed.Dispose();
        return default;
    }

    private TState StateOf(ReadCopy copy)
    {
        if (_shown is null || _shown.Version != copy.Version || _shown.History != copy.History || !_shown.State.Equals(copy.State))
        {
            _state = serializer.Deserialize<TState>(copy.State.Span);
        }

        _shown = copy;
        return _state;
    }

    private ReadReplicaMissException Miss(string what)
    {
        asksForMore();
        return new($"The read replica of {key} in cluster {cluster} does not have {what}; the call goes on to the grain's instance.");
    }

    private InvalidOperationException MayNotRaise() => new($"Events of {key} cannot be raised on a read replica.");
}
