namespace Geo.Orleans.Tests.Grains;

/// <summary>A grain with calls that do not end before the test lets them, whatever becomes of the activation.</summary>
public interface IGuest : IGrainWithStringKey
{
    Task<Whereabouts> Where();

    [ResponseTimeout("00:05:00")]
    Task Stay();
}
