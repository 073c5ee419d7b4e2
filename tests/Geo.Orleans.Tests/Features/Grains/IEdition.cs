namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>A single-instance grain whose interface has version 1 in "eu" and 2 in "us" (see <see cref="VersionByCluster"/>).</summary>
public interface IEdition : IGrainWithStringKey
{
    Task<string> Where();
}
