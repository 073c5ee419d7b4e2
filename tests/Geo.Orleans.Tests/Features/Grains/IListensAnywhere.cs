namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>A single-instance grain that hears what is published in any cluster.</summary>
public interface IListensAnywhere : IGrainWithStringKey
{
    /// <summary>The clusters in which it was when it heard something, and what.</summary>
    Task<string[]> Heard();

    /// <summary>Tells what an ordinary grain has heard.</summary>
    Task Tell(int item);

    Task End();
}
