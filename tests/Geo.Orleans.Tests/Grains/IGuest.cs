namespace Geo.Orleans.Tests.Grains;

/// <summary>A grain with calls that do not end before the test lets them, whatever becomes of the activation.</summary>
public interface IGuest : IGrainWithStringKey
{
    Task<Whereabouts> Where();

    /// <summary>Where, by a call that is not waited for long, and of which <see cref="Guest.Hurried"/> tells how often it ran.</summary>
    [ResponseTimeout("00:00:01")]
    Task<Whereabouts> Hurry();

    [ResponseTimeout("00:05:00")]
    Task Stay();
}
