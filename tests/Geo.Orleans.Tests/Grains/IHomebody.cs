namespace Geo.Orleans.Tests.Grains;

/// <summary>A single-instance grain that is placed on the silo of its first caller.</summary>
public interface IHomebody : IGrainWithStringKey
{
    Task<string> Where();

    Task End();
}
