namespace Geo.Directory;

/// <summary>
/// What the silos of a cluster remember of instances in other clusters. Each has a view of its own, and the grain may be placed on any of
/// them next: what one finds wrong, all forget.
/// </summary>
internal sealed class SharedHints : IDisposable
{
    /// <summary>The service by which a silo has the others forget a hint.</summary>
    public const string Service = "geo.forget";

    private readonly InstanceDirectories _directories;
    private readonly SiloLiveness _liveness;
    private readonly ISiblings _siblings;
    private readonly IDisposable _registration;

    public SharedHints(InstanceDirectories directories, SiloLiveness liveness, ISiblings siblings)
    {
        (_directories, _liveness, _siblings) = (directories, liveness, siblings);
        _registration = siblings.Handle(Service, ForgetHereAsync);
    }

    /// <summary>
    /// Forgets that a grain is in a cluster, here and on all silos that hear of it, which is not waited for: one that does not learns by
    /// its own next call that is not answered there.
    /// </summary>
    public void Forget(GrainKey key, ClusterId stale)
    {
        _directories.Forget(key, stale);
        var writer = new PayloadWriter();
        writer.WriteText(key.ToString());
        writer.WriteText(stale.Name);
        foreach (var node in _liveness.Siblings)
        {
            _siblings.Tell(node, Service, writer.Written);
        }
    }

    public void Dispose() => _registration.Dispose();

    private ValueTask<ReadOnlyMemory<byte>> ForgetHereAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        var (key, stale) = Read(payload.Span);
        _directories.Forget(key, stale);
        return default;
    }

    private static (GrainKey Key, ClusterId Stale) Read(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        return (GrainKey.Parse(reader.ReadRequiredText()), new ClusterId(reader.ReadRequiredText()));
    }
}
