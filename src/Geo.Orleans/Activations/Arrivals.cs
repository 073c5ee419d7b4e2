using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Orleans;

/// <summary>Lets the silo that an activation has left know when the one that took its place on another silo can be called.</summary>
internal sealed class Arrivals : IDisposable
{
    /// <summary>The service by which a silo waits for an activation on another to be registered, or to end.</summary>
    public const string Service = "geo.arrived";

    private readonly OrleansSiblings _siblings;
    private readonly GlobalDirectoryOptions _limits;
    private readonly ILogger _logger;
    private readonly IDisposable _waiting;

    public Arrivals(OrleansSiblings siblings, TrackedActivations activations, GeoSiloBuilder builder, ILogger<Arrivals> logger)
    {
        (_siblings, _limits, _logger) = (siblings, builder.Directory, logger);
        _waiting = siblings.Handle(Service, async (payload, cancellationToken) =>
        {
            var key = GrainKey.Parse(new PayloadReader(payload.Span).ReadRequiredText());
            await activations.SettledAsync(GrainNames.ToGrainId(key)).WaitAsync(_limits.AcquireTimeout, cancellationToken);
            return default;
        });
    }

    /// <summary>
    /// Waits for an activation on the silo that another one has migrated to, as long as acquiring a grain may take. What that silo does not
    /// say by then the next call finds out.
    /// </summary>
    public async ValueTask AwaitAsync(IGrainContext left)
    {
        if (ActivationSeam.Reachable?.SuccessorOf(left) is not { } silo)
        {
            return;
        }

        var key = GrainNames.ToKey(left.GrainId);
        var writer = new PayloadWriter();
        writer.WriteText(key.ToString());
        var arrived = await _siblings.AskAsync(GrainNames.ToNode(silo), Service, writer.Written, _limits.AcquireTimeout);
        if (arrived.Outcome != ReplyOutcome.Replied)
        {
            _logger.ArrivalUnknown(key, silo, arrived.Reason);
        }
    }

    public void Dispose() => _waiting.Dispose();
}
