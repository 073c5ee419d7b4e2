namespace Geo.Orleans.Tests.Calls;

/// <summary>Brings each call to one silo of the other cluster, whichever the links would have chosen.</summary>
internal sealed class EnteringCarrier(ClusterId from, Func<CallReceiver> silo) : ICallCarrier
{
    public async ValueTask<CarriedReply> CarryAsync(
        ClusterId to, GrainKey grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        var message = new ClusterMessage(from, CallReceiver.Service, frame, ExpectsReply: true) { GivenUp = cancellationToken };
        return await Task.Run(async () => await silo().AnswerAsync(message, cancellationToken), cancellationToken);
    }
}
