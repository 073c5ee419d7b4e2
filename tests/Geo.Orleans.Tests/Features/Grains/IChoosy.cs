namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>A single-instance grain that is placed by rules of the application's own.</summary>
public interface IChoosy : IGrainWithStringKey
{
    /// <summary>The silo.</summary>
    Task<string> Where();
}
