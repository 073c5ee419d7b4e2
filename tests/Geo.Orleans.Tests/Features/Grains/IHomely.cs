namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>A single-instance grain that wants to be on the silo that is called first.</summary>
public interface IHomely : IGrainWithStringKey
{
    /// <summary>The silo.</summary>
    Task<string> Where();

    /// <returns>How often it has been called so.</returns>
    Task<int> Call();
}
