namespace Geo.Testing;

/// <summary>One silo's end of a <see cref="SiblingNetwork"/>.</summary>
internal sealed class SimulatedSibling(SiblingNetwork network, SimulationLane lane) : ISiloMembership, ISiblings
{
    private readonly SiblingServices _services = new();
    private readonly List<(string Node, TaskCompletionSource<ClusterReply> Ended)> _waiting = [];
    private string[] _found = [];
    private bool _isForsaken;
    private int _changes = -1;

    public string Local => lane.Name;

    /// <summary>What it has heard, and whom it has found when it joined.</summary>
    public SiloMembers Members { get; private set; } = new([]);

    /// <summary>A silo that joins finds all that have joined before, and itself, whether the others have heard of them or not.</summary>
    public void Finds(IEnumerable<string> nodes) => _found = [.. nodes];

    /// <summary>What the membership is after so many changes. What it was before, heard later, says nothing.</summary>
    public void Hears(int changes, SiloMembers members)
    {
        if (_isForsaken || changes <= _changes)
        {
            return;
        }

        _changes = changes;
        var unheard = _found.Where(node => members.StateOf(node) == SiloState.Unknown)
            .Select(node => new SiloMember(node, SiloState.Living)).ToArray();
        Members = unheard.Length == 0 ? members : new SiloMembers([.. members.All, .. unheard]);
        foreach (var (node, ended) in _waiting.Where(asked => members.StateOf(asked.Node) == SiloState.Dead).ToArray())
        {
            ended.TrySetResult(ClusterReply.Unknown($"silo '{node}' was declared dead"));
        }
    }

    /// <summary>The others have declared this silo dead, and tell it nothing any more.</summary>
    public void IsForsaken() => _isForsaken = true;

    public async ValueTask<ClusterReply> AskAsync(
        string node, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var ended = new TaskCompletionSource<ClusterReply>();
        if (network.Find(node) is { } sibling)
        {
            var bytes = payload.ToArray();
            network.Carry(sibling.Lane, () => _ = sibling.AnswerAsync(this, service, bytes, ended));
        }

        using var limit = new CancellationTokenSource(LongestWait.Clamp(timeout), network.Time);
        using var onLimit = limit.Token.Register(() => ended.TrySetResult(ClusterReply.Unknown($"silo '{node}' did not answer in time")));
        using var onCancel = cancellationToken.Register(() => ended.TrySetCanceled(cancellationToken));
        _waiting.Add((node, ended));
        try
        {
            return await ended.Task;
        }
        finally
        {
            _waiting.Remove((node, ended));
        }
    }

    public void Tell(string node, string service, ReadOnlyMemory<byte> payload)
    {
        if (network.Find(node) is { } sibling)
        {
            var bytes = payload.ToArray();
            network.Carry(sibling.Lane, () => _ = sibling.HearAsync(service, bytes));
        }
    }

    public IDisposable Handle(string service, SiblingHandler handler) => _services.Handle(service, handler);

    private SimulationLane Lane => lane;

    private async Task AnswerAsync(SimulatedSibling asker, string service, byte[] question, TaskCompletionSource<ClusterReply> ended)
    {
        ClusterReply reply;
        try
        {
            reply = await _services.AnswerAsync(service, question, CancellationToken.None) is { } answer
                ? ClusterReply.Replied(answer.ToArray())
                : ClusterReply.Refused($"silo '{lane.Name}' does not serve '{service}'");
        }
        catch (Exception e)
        {
            reply = ClusterReply.Unknown($"'{service}' of silo '{lane.Name}' failed: {e.Message}");
        }

        network.Carry(asker.Lane, () => ended.TrySetResult(reply));
    }

    private async Task HearAsync(string service, byte[] notice)
    {
        try
        {
            await _services.AnswerAsync(service, notice, CancellationToken.None);
        }
        catch (GeoException)
        {
            // Nobody waits for what became of it; in production the host's log has it.
        }
    }
}
