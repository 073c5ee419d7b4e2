namespace Geo.Experiments.Orleans;

/// <summary>An actor of the load: a grain on the loading silo, since grain to grain is what Orleans is made for.</summary>
public interface IActor : IGrainWithIntegerKey
{
    /// <summary>Comes to be, and makes the scheduler of its turns known.</summary>
    Task AppearAsync();
}
