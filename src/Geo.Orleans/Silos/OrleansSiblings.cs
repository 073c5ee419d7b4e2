using Orleans.Runtime.Services;

namespace Geo.Orleans;

/// <summary>Messages to the other silos of the cluster, as calls of their <see cref="IGeoSiloService"/>.</summary>
internal sealed class OrleansSiblings(IServiceProvider provider, SiblingServices services, TimeProvider time)
    : GrainServiceClient<IGeoSiloService>(provider), ISiblings
{
    public async ValueTask<ClusterReply> AskAsync(
        string node, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        try
        {
            var answer = await On(node).AskAsync(service, payload.ToArray())
                .WaitAsync(LongestWait.Clamp(timeout), time, cancellationToken);
            return answer is null ? ClusterReply.Refused($"silo '{node}' does not serve '{service}'") : ClusterReply.Replied(answer);
        }
#pragma warning disable CA1031 // Whatever went wrong there or on the way is an outcome here.
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
#pragma warning restore CA1031
        {
            return ClusterReply.Unknown($"silo '{node}' did not answer '{service}': {e.Message}");
        }
    }

    public void Tell(string node, string service, ReadOnlyMemory<byte> payload) => On(node).TellAsync(service, payload.ToArray()).Ignore();

    public IDisposable Handle(string service, SiblingHandler handler) => services.Handle(service, handler);

    private IGeoSiloService On(string node) => GetGrainService(GrainNames.ToSilo(node));
}
