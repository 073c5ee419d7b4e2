using Microsoft.Extensions.Options;

namespace Geo.Embedded;

/// <summary>
/// Checks what the data annotations of settings say, of those within settings too; generated, so that it needs no reflection.
/// </summary>
[OptionsValidator]
internal sealed partial class SettingsValidator : IValidateOptions<GeoEmbeddedOptions>, IValidateOptions<GeoClientOptions>
{
    public static readonly SettingsValidator Instance = new();
}
