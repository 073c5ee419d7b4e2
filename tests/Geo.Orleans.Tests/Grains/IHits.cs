namespace Geo.Orleans.Tests.Grains;

/// <summary>A coordination-free grain of events.</summary>
public interface IHits : IGrainWithStringKey
{
    Task Count(int amount);

    Task CountEverywhere(int amount);

    Task<long> Show();

    Task<long> ShowLatest();

    Task<int> Changes();

    Task<bool> CountIf(int amount);
}
