using Orleans.Runtime.Services;

namespace Geo.Orleans;

/// <summary>Messages to the other silos of the cluster, as calls of their <see cref="IGeoSiloService"/>.</summary>
internal sealed class OrleansSiblings(IServiceProvider provider, SiblingServices services, TimeProvider time)
    : GrainServiceClient<IGeoSiloService>(provider), ISiblings
{
    public async ValueTask<ClusterReply> AskAsync(
        string node, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        // Who is asked learns when nobody waits any more, for whichever reason.
        using var givenUp = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            var answer = await On(node).AskAsync(service, payload.ToArray(), givenUp.Token)
                .WaitAsync(LongestWait.Clamp(timeout), time, cancellationToken);
            return answer is null ? ClusterReply.Refused($"silo '{node}' does not serve '{service}'") : ClusterReply.Replied(answer);
        }
#pragma warning disable CA1031 // Whatever went wrong there or on the way is an outcome here.
        catch (Exception e)
#pragma warning restore CA1031
        {
            await givenUp.CancelAsync();
            if (e is OperationCanceledException && cancellationToken.IsCancellationRequested)
            {
                throw;
            }

            return ClusterReply.Unknown($"silo '{node}' did not answer '{service}': {e.Message}");
        }
    }

    public void Tell(string node, string service, ReadOnlyMemory<byte> payload) => On(node).TellAsync(service, payload.ToArray()).Ignore();

    public IDisposable Handle(string service, SiblingHandler handler) => services.Handle(service, handler);

    private IGeoSiloService On(string node) => GetGrainService(GrainNames.ToSilo(node));
}
