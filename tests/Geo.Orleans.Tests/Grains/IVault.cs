namespace Geo.Orleans.Tests.Grains;

/// <summary>A single-instance grain whose versions are kept in storage.</summary>
public interface IVault : IGrainWithStringKey
{
    Task<string> Confirm(int amount);

    Task<Reading> Latest();

    Task End();
}
