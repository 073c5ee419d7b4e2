namespace Geo.Orleans.Tests.Grains;

/// <summary>A single-instance grain that tells when and in which process a call ran.</summary>
public interface ITimed : IGrainWithStringKey
{
    ValueTask<Served> Serve();
}
