namespace Geo.Directory;

/// <summary>The instances of this cluster as the directory sees them: any silo may run them, and any silo can have them ended.</summary>
internal sealed class ClusterInstances : ILocalInstances, IDisposable
{
    /// <summary>The service by which a silo ends an instance on another.</summary>
    public const string Service = "geo.deactivate";

    /// <summary>The service by which a silo asks another whether it has an instance.</summary>
    public const string HasService = "geo.has";

    /// <summary>The service by which a silo asks another whether it uses a grain, which it otherwise gives up.</summary>
    public const string UsesService = "geo.uses";

    private static readonly byte[] Yes = [1];

    private readonly SiloLiveness _liveness;
    private readonly ClusterIncarnation _incarnation;
    private readonly IInstanceTable _local;
    private readonly ISiblings _siblings;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;
    private readonly IDisposable _ending;
    private readonly IDisposable _having;
    private IDisposable? _using;

    public ClusterInstances(
        string node, SiloLiveness liveness, ClusterIncarnation incarnation, IInstanceTable local, ISiblings siblings, TimeSpan timeout,
        TimeProvider time)
    {
        (Node, _liveness, _incarnation, _local, _siblings, _timeout, _time) = (node, liveness, incarnation, local, siblings, timeout, time);
        _ending = siblings.Handle(Service, DeactivateHereAsync);
        _having = siblings.Handle(HasService, HasHereAsync);
    }

    public string Node { get; }

    public long Incarnation => _incarnation.Value;

    public NodeState StateOf(string node) => _liveness.StateOf(node);

    public bool Has(GrainKey key) => _local.Has(key);

    /// <summary>From here on this silo says whether it uses a grain.</summary>
    public void Serve(GlobalDirectory directory) => _using = _siblings.Handle(UsesService, async (question, _) =>
    {
        var (key, tenancy) = ReadTenancy(question.Span);
        return new[] { (byte)await directory.UsesAsync(key, tenancy) };
    });

    public async ValueTask<TenancyUse> UsesAsync(
        string node, GrainKey key, long tenancy, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var writer = new PayloadWriter();
        writer.WriteText(key.ToString());
        writer.WriteSigned(tenancy);
        var reply = await _siblings.AskAsync(node, UsesService, writer.Written, timeout, cancellationToken);
        return reply.Outcome == ReplyOutcome.Replied && reply.Payload.Span is [var use and <= (byte)TenancyUse.Unused]
            ? (TenancyUse)use
            : TenancyUse.Undecided;
    }

    /// <exception cref="GeoUnavailableException">
    /// A silo did not let on in time that the instance is gone: the directory then tries again, by when the silo has answered or is dead.
    /// </exception>
    public async ValueTask DeactivateAsync(GrainKey key, string reason)
    {
        var writer = new PayloadWriter();
        writer.WriteText(key.ToString());
        writer.WriteText(reason);
        var siblings = SwitchedOff.Is(ProtocolRule.SiblingsEndToo) ? [] : _liveness.Siblings;
        await Task.WhenAll([EndHereAsync(key, reason), .. siblings.Select(node => EndThereAsync(node, key, writer.Written))]);
    }

    /// <summary>True when a silo of the cluster says in time that it has an instance of a grain, which takes calls.</summary>
    public async ValueTask<bool> HasAsync(string node, GrainKey key, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var writer = new PayloadWriter();
        writer.WriteText(key.ToString());
        var reply = await _siblings.AskAsync(node, HasService, writer.Written, timeout, cancellationToken);
        return reply.Outcome == ReplyOutcome.Replied && reply.Payload.Span.SequenceEqual(Yes);
    }

    public void Dispose()
    {
        _ending.Dispose();
        _having.Dispose();
        _using?.Dispose();
    }

    private async Task EndThereAsync(string node, GrainKey key, ReadOnlyMemory<byte> question)
    {
        var reply = await _siblings.AskAsync(node, Service, question, _timeout);
        if (reply.Outcome != ReplyOutcome.Replied)
        {
            throw new GeoUnavailableException($"Whether silo '{node}' has an instance of '{key}' is not known: {reply.Reason}");
        }
    }

    private async Task EndHereAsync(GrainKey key, string reason)
    {
        try
        {
            await EndAsync().WaitAsync(_timeout, _time);
        }
        catch (TimeoutException e)
        {
            throw new GeoUnavailableException($"The instance of '{key}' did not end within {_timeout}; a call on it may never end.", e);
        }

        async Task EndAsync() => await _local.DeactivateAsync(key, reason);
    }

    private async ValueTask<ReadOnlyMemory<byte>> DeactivateHereAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        var (key, reason) = Read(payload.Span);
        await EndHereAsync(key, reason);
        return default;
    }

    private ValueTask<ReadOnlyMemory<byte>> HasHereAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken) =>
        new(_local.TakesCalls(GrainKey.Parse(new PayloadReader(payload.Span).ReadRequiredText())) ? Yes : default(ReadOnlyMemory<byte>));

    private static (GrainKey Key, long Tenancy) ReadTenancy(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        return (GrainKey.Parse(reader.ReadRequiredText()), reader.ReadSigned());
    }

    private static (GrainKey Key, string Reason) Read(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        return (GrainKey.Parse(reader.ReadRequiredText()), reader.ReadRequiredText());
    }
}
