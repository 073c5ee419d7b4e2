using System.Buffers;
using System.Text.Json;

namespace OwnProtocol;

/// <summary>The view of one activation: a queue of groups, and a worker that reads the row and writes one group after the other.</summary>
internal sealed class WriteEachView<TState, TUpdate> : IVersionedView<TState, TUpdate>
{
    private const int MaxGroups = 1_000;

    // However long the store takes: what has not ended by then is unknown.
    private static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    private readonly ViewContext<TState, TUpdate> _context;
    private readonly IConditionalStore _store;
    private readonly string _storeKey;
    private readonly long _self;
    private readonly List<Group> _queue = [];
    private readonly List<Wait> _waits = [];
    private readonly CancellationTokenSource _stop = new();
    private StoredRow _row = new(0, [], [], 0);
    private ETag? _etag;
    private TState _confirmed;
    private TState? _tentative;
    private bool _isWorking;
    private bool _isFresh;
    private long _reads;
    private long _lastNumber;

    public WriteEachView(ViewContext<TState, TUpdate> context)
    {
        _context = context;
        _store = context.Services.Stores(context.Declaration.Storage);
        _storeKey = VersionedViews.StoreKeyPrefix + context.Key;
        _self = context.Services.Random.NextInt64(1, long.MaxValue);
        _confirmed = context.Model.Create();
    }

    public long Version => _row.Version;

    public TState Confirmed => _confirmed;

    public TState Tentative => _queue.Count == 0 ? _confirmed : _tentative ??= Applied(_queue.SelectMany(g => g.Updates));

    public IReadOnlyList<TUpdate> Unconfirmed => [.. _queue.SelectMany(g => g.Updates)];

    public ViewIssue? Issue { get; private set; }

    public void Start() => Wake();

    public void Enqueue(TUpdate update) => Enqueue([update]);

    public void Enqueue(IReadOnlyList<TUpdate> updates) => Add(new([.. updates], ++_lastNumber, null, 0));

    public async Task<bool> TryEnqueueAsync(IReadOnlyList<TUpdate> updates, CancellationToken cancellationToken = default)
    {
        var decision = New<bool>();
        Add(new([.. updates], ++_lastNumber, decision, Version + _queue.Sum(g => g.Updates.Length)));
        return await EndAsync(decision, cancellationToken);
    }

    public Task ConfirmAsync(CancellationToken cancellationToken = default) =>
        _queue.Count == 0 ? Task.CompletedTask : WaitAsync(new(_lastNumber, 0, New<bool>()), cancellationToken);

    public Task RefreshAsync(CancellationToken cancellationToken = default)
    {
        _isFresh = false;
        return WaitAsync(new(_lastNumber, _reads + 1, New<bool>()), cancellationToken);
    }

    public ValueTask DisposeAsync()
    {
        _stop.Cancel();
        EndAll(new ObjectDisposedException($"The view of {_context.Key} was disposed; what became of its last updates is not known."));
        return default;
    }

    /// <summary>Ends on the grain's scheduler, whoever completes it: not so <c>Task.WaitAsync</c>.</summary>
    private static async Task<bool> EndAsync(TaskCompletionSource<bool> done, CancellationToken cancellationToken)
    {
        using var givenUp = cancellationToken.UnsafeRegister(
            (source, token) => ((TaskCompletionSource<bool>)source!).TrySetCanceled(token), done);
        return await done.Task;
    }

    private static TaskCompletionSource<T> New<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Add(Group group)
    {
        ObjectDisposedException.ThrowIf(_stop.IsCancellationRequested, this);
        if (_queue.Count >= MaxGroups)
        {
            throw new GeoUnavailableException($"{_context.Key} has {MaxGroups} groups of updates that are not confirmed; confirm first.");
        }

        _queue.Add(group);
        _tentative = default;
        _context.Observer?.TentativeChanged();
        Wake();
    }

    private async Task WaitAsync(Wait wait, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_stop.IsCancellationRequested, this);
        _waits.Add(wait);
        Wake();
        await EndAsync(wait.Done, cancellationToken);
    }

    private void Wake()
    {
        if (!_isWorking && !_stop.IsCancellationRequested)
        {
            _isWorking = true;
            _ = WorkAsync();
        }
    }

    private async Task WorkAsync()
    {
        try
        {
            await Task.Yield();
            while (!_stop.IsCancellationRequested && (!_isFresh || _queue.Count > 0))
            {
                var failure = _isFresh ? await WriteAsync(_queue[0]) : await ReadAsync();
                Report(failure);
                if (failure is not null)
                {
                    await Task.Delay(Pause, _context.Services.Time, _stop.Token);
                }
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The view was disposed.
        }
        catch (Exception e) when (e is GeoException or JsonException)
        {
            Report(e.Message);
            EndAll(e as GeoException ?? new GeoSerializationException(e.Message, e));
        }
        finally
        {
            _isWorking = false;
        }
    }

    private async Task<string?> ReadAsync()
    {
        var read = ++_reads;
        _isFresh = true;
        var found = await WithinAsync(token => _store.ReadAsync(_storeKey, token), StoreRead.Unknown("The store did not answer in time."));
        _stop.Token.ThrowIfCancellationRequested();
        if (found.Outcome == StoreReadOutcome.Unknown)
        {
            _isFresh = false;
            return found.Reason;
        }

        if (found.Outcome == StoreReadOutcome.Found)
        {
            Adopt(StoredRow.Read(found.Value), found.ETag);
        }

        Settle();
        End(wait => wait.Reads <= read && wait.Number <= Resolved);
        return null;
    }

    private async Task<string?> WriteAsync(Group group)
    {
        if (group.Decision is not null && group.Expected != Version)
        {
            Resolve(group, applied: false);
            return null;
        }

        var state = Applied(group.Updates);
        var bytes = new ArrayBufferWriter<byte>();
        _context.Services.Serializer.Serialize(state, bytes);
        var row = _row.With(group.Updates.Length, bytes.WrittenSpan.ToArray(), _self, group.Number);
        group.FirstTriedAt ??= Version;
        var written = await WithinAsync(
            token => _store.WriteAsync(_storeKey, row.Write(), _etag, token), StoreWrite.Unknown("The store did not answer in time."));
        _stop.Token.ThrowIfCancellationRequested();
        if (written.Outcome == StoreWriteOutcome.Applied)
        {
            Adopt(row, written.ETag);
            Settle();
            End(wait => wait.Reads <= _reads && wait.Number <= Resolved);
            return null;
        }

        _isFresh = false;
        return written.Outcome == StoreWriteOutcome.Unknown ? written.Reason : null;
    }

    /// <summary>The number up to which nothing waits any more.</summary>
    private long Resolved => _queue.Count == 0 ? _lastNumber : _queue[0].Number - 1;

    private void Adopt(StoredRow row, ETag? etag)
    {
        var isNewer = row.Version > Version;
        (_row, _etag) = (row, etag);
        if (isNewer)
        {
            _confirmed = Read();
            _tentative = default;
            _context.Observer?.ConfirmedChanged();
        }
    }

    /// <summary>Takes what the row says of this instance's own updates out of the queue.</summary>
    private void Settle()
    {
        var isListed = _row.Writers.TryGetValue(_self, out var own);
        while (_queue.Count > 0 && isListed && _queue[0].Number <= own!.Number)
        {
            Resolve(_queue[0], applied: true);
        }

        if (!isListed && _queue.Count > 0 && _queue[0].FirstTriedAt < _row.ForgottenThrough)
        {
            var lost = new GeoOutcomeUnknownException($"Whether an update of {_context.Key} took effect can no longer be found out.");
            _queue[0].Decision?.TrySetException(lost);
            End(wait => wait.Number >= _queue[0].Number, lost);
            Resolve(_queue[0], applied: false);
        }
    }

    private void Resolve(Group group, bool applied)
    {
        _queue.Remove(group);
        _tentative = default;
        group.Decision?.TrySetResult(applied);
        _context.Observer?.TentativeChanged();
        End(wait => wait.Reads == 0 && wait.Number <= Resolved);
    }

    private void End(Func<Wait, bool> which, Exception? failure = null)
    {
        foreach (var wait in _waits.Where(which).ToList())
        {
            _waits.Remove(wait);
            _ = failure is null ? wait.Done.TrySetResult(true) : wait.Done.TrySetException(failure);
        }
    }

    private void EndAll(Exception reason)
    {
        End(_ => true, reason);
        _queue.ForEach(group => group.Decision?.TrySetException(reason));
    }

    private void Report(string? failure)
    {
        if (failure is null && Issue is { } over)
        {
            Issue = null;
            _context.Observer?.IssueResolved(over);
        }
        else if (failure is not null)
        {
            Issue = new(
                "reaching the store", Issue?.Since ?? _context.Services.Time.GetUtcNow(), (Issue?.Attempts ?? 0) + 1, failure, false);
            _context.Observer?.IssueArose(Issue);
        }
    }

    private TState Read() =>
        _row.State.Length == 0 ? _context.Model.Create() : _context.Services.Serializer.Deserialize<TState>(_row.State);

    private TState Applied(IEnumerable<TUpdate> updates) => updates.Aggregate(Read(), _context.Model.Apply);

    /// <summary>No store is trusted to end an operation.</summary>
    private async Task<T> WithinAsync<T>(Func<CancellationToken, ValueTask<T>> operation, T unknown)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        var running = operation(limit.Token).AsTask();
        var timeout = Task.Delay(StoreTimeout, _context.Services.Time, limit.Token);
        var ended = await Task.WhenAny(running, timeout);
        limit.Cancel();
        return ended == running ? await running : unknown;
    }

    private sealed record Group(TUpdate[] Updates, long Number, TaskCompletionSource<bool>? Decision, long Expected)
    {
        /// <summary>The version known when it was first written, without knowing since whether it landed.</summary>
        public long? FirstTriedAt { get; set; }
    }

    private sealed record Wait(long Number, long Reads, TaskCompletionSource<bool> Done);
}
