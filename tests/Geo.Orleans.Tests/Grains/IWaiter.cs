namespace Geo.Orleans.Tests.Grains;

/// <summary>A single-instance grain whose calls end when they are cancelled.</summary>
public interface IWaiter : IGrainWithStringKey
{
    Task<Whereabouts> Where();

    Task Wait(CancellationToken cancellationToken);

    Task WaitForToken(GrainCancellationToken token);
}
