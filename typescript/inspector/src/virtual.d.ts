declare module "virtual:contract" {
  /** A `ContractText` as JSON, compressed by gzip, in Base64. */
  const packed: string;
  export default packed;
}
