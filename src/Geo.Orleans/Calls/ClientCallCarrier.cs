namespace Geo.Orleans;

/// <summary>Carries an external client's calls through a silo of the cluster that it is connected to.</summary>
internal sealed class ClientCallCarrier(IGrainFactory grains, CallLimits limits, TimeProvider time) : ICallCarrier
{
    // The silo tells how the call ended a little later than its time is up.
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(1);

    private readonly Guid _client = Guid.NewGuid();

    public async ValueTask<CarriedReply> CarryAsync(
        ClusterId to, GrainKey grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        var allowed = LongestWait.Clamp(timeout ?? limits.Timeout);
        using var limit = new CancellationTokenSource(LongestWait.Clamp(allowed + Slack), time);
        using var givenUp = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            return await grains.GetGrain<IGeoGateway>(_client).CarryAsync(to.Name, grain.ToString(), frame, timeout, givenUp.Token);
        }
        catch (Exception e) when (e is OrleansException or TimeoutException)
        {
            return CarriedReply.Unknown($"the silo that carried it was lost, or did not answer in time: {e.Message}");
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            return CarriedReply.Unknown($"the silo that carried it did not answer within {allowed}");
        }
    }
}
