/** Types for the part of Bottleneck that the throttling plugin bundles without types. */
declare module "bottleneck/light.js" {
  import Bottleneck from "bottleneck";
  export default Bottleneck;
}
